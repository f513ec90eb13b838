export {
  type RequestedAddress,
  type PostalAddress,
  type UnsendableReason,
  domesticZip,
  normalisedAddress,
  saysNoStreet,
  unsendableReason,
} from './address';
export { AddressKeys, type KeySettings } from './address-keys';
export { AddressSecretError, claimSecret } from './address-secret.repository';
export { CLOSED, type Circuit, PROBE_EVERY_MS, circuitOf, recordFailure } from './circuit';
export { type GeocoderActivity } from './wait-reason';
export { type GeocoderStatus, countOutcomes, readGeocoderStatus, waitingSettings } from './geocoder-status.repository';
export { LocationRepository } from './location.repository';
export { LocationsModule } from './locations.module';
