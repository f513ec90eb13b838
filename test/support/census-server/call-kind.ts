/** The endpoint of a call. */
export type CallKind = 'batch' | 'single' | 'benchmarks' | 'vintages';
