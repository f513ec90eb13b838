/**
 * Resilience tests: each scenario starts an installation on the loopback interface, generates load, injects faults,
 * and checks what the service promises.
 *
 *     npm run resilience                       lists the scenarios
 *     npm run resilience -- chaos --seed 1     runs one; exit code 1 if a check fails
 *     npm run resilience -- chaos --write      also writes its report to docs/results
 */
import { runProgram } from '../command/report';
import { mutation } from '../mutation/mutation';
import { chaos } from './scenarios/chaos';
import { cluster } from './scenarios/cluster';
import { crashPoints } from './scenarios/crash-points';
import { faultyCalls } from './scenarios/faulty-calls';
import { leader } from './scenarios/leader';
import { load } from './scenarios/load';
import { outages } from './scenarios/outages';
import { poison } from './scenarios/poison';
import { recovery, restarts } from './scenarios/recovery';
import { refresh } from './scenarios/refresh';
import { soak } from './scenarios/soak';
import { stop } from './scenarios/stop';

runProgram('resilience', {
  ...{ chaos, 'crash-points': crashPoints, 'faulty-calls': faultyCalls, recovery, outages, leader, refresh, stop },
  ...{ cluster, poison, soak, load, mutation, restarts },
});
