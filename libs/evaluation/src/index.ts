export { type Evaluation, evaluate } from './evaluate';
export { type ClassScores } from './class-scores';
export { type AgeEvaluation } from './evaluate-ages';
export { TruthFileError, type TruthRow, readTruthFile } from './truth-file';
