import { configureGlobal } from 'fast-check';

/** Nobody reads which counterexample a change has: a smaller one is not looked for. */
configureGlobal({ endOnFailure: true });
