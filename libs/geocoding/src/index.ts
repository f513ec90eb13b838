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
export { type FaultDetail, GeocoderError, type GeocoderFault } from './geocoder-error';
export { type CensusGeocoderOptions } from './census/census-geocoder';
export { CallRepository } from './calls/call.repository';
export {
  type ApplyOutcomes,
  CALL_LEASE_MS,
  type CallFault,
  type CallKind,
  type CallOptions,
  type CallResults,
  type Claim,
  type ClaimedCall,
  type PendingAddress,
  type StoredLocation,
  type WaitReason,
} from './calls/call';
export { type CallTools, runCall } from './geocode-call';
export { GeocodingModule } from './geocoding.module';
