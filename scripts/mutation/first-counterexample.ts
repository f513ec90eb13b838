import { configureGlobal } from 'fast-check';

/** Any counterexample kills a mutant: it is not shrunk, and the search ends after a second. */
configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 1_000 });
