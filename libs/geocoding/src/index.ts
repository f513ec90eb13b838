export {
  type BatchAnswer,
  type Candidate,
  GEOCODER,
  type Geocoder,
  type GeocoderAnswer,
  type GeocoderRow,
  type Geography,
  type MatchedAddress,
  type UnansweredReason,
} from './geocoder';
export { type FaultDetail, GEOCODER_FAULTS, GeocoderError, type GeocoderFault } from './geocoder-error';
export { CensusGeocoder, type CensusGeocoderOptions } from './census/census-geocoder';
export { CallRepository } from './calls/call.repository';
export { CALL_LEASE_MS, type CallOptions } from './calls/call-options';
export { type CallFault, type CallResults, type Settle } from './calls/call-results';
export {
  type CallKind,
  type Claim,
  type ClaimedCall,
  type PendingAddress,
  type WaitReason,
} from './calls/claimed-call';
export { type StoredLocation } from './calls/stored-location';
export { type CallTools, runCall } from './geocode-call';
export { GeocodingModule } from './geocoding.module';
