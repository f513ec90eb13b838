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
