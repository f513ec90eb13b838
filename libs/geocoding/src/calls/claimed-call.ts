import { type KeySettings } from '@donorlens/locations';

/** An address as it was written; '' where a part is missing. */
export interface PendingAddress {
  /** 16 bytes. */
  readonly key: Buffer;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  /** How often it was left without an answer, apart from its call's failures. */
  readonly failures: number;
}

/** A batch call sends all its addresses at once, a tie call asks for the candidates of each. */
export type CallKind = 'batch' | 'tie';

export interface ClaimedCall extends KeySettings {
  readonly id: string;
  readonly leaseId: string;
  readonly kind: CallKind;
  /** The one call that an open circuit lets through. */
  readonly isProbe: boolean;
  readonly failures: number;
  /** All asked for under the call's benchmark and vintage: their keys are made of them. */
  readonly addresses: readonly PendingAddress[];
}

/** Why a call may not start now. */
export type WaitReason = 'circuit_open' | 'told_to_wait' | 'refused' | 'rate' | 'slots' | 'ties';

/**
 * Null: nothing to do, it is done or another has it. After `rate` and `slots` the call stays queued, and is to be
 * claimed again after waitMs; otherwise it waits for a new job.
 */
export type Claim = { readonly call: ClaimedCall } | { readonly waitMs: number; readonly why: WaitReason } | null;
