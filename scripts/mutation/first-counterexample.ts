import { configureGlobal } from 'fast-check';

/** Any counterexample kills a mutant, so fast-check does not shrink it and stops the search after a second. */
configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 1_000 });
