/** Which of the service's doors a call came to. */
export type CallKind = 'batch' | 'single' | 'benchmarks' | 'vintages';
