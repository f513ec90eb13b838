export { AccessKeysModule } from './access-keys.module';
export { ApiKeyEntity } from './api-key.entity';
export { KeyError } from './key-error';
export { type KeyIdentity, KeyRing } from './key-ring';
export { type IssuedKey, type KeyRecord, KeyRepository, type KeyRequest } from './key.repository';
export { SCOPES, type Scope, isScope } from './scopes';
export { type BucketAnswer, TokenBucket } from './token-bucket';
