export { newKey } from './key-format';
export { AccessKeysModule } from './access-keys.module';
export { ApiKeyEntity } from './api-key.entity';
export { dataSourceOptions } from './data-source';
export { KeyError } from './key.repository';
export { type KeyIdentity } from './key-copy';
export { KeyRing } from './key-ring';
export { type IssuedKey, type KeyRecord, KeyRepository, type KeyRequest } from './key.repository';
export { SCOPES, type Scope, isScope } from './key.repository';
