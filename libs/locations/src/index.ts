export { type PostalAddress, type UnsendableReason, normalisedAddress, saysNoStreet, unsendable } from './address';
export { AddressKeys, type KeySettings } from './address-keys';
export { AddressSecretError, claimSecret } from './address-secret';
export { type AskedAddress } from './asked-address';
export { type GeocoderActivity } from './geocoder-activity';
export { type GeocoderStatus, countOutcomes, readGeocoderStatus, waitingSettings } from './geocoder-status';
export { LocationRepository } from './location.repository';
export { LocationsModule } from './locations.module';
