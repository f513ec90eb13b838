export { type SampleItcont, sampleItcont } from './sample-itcont';
export { type SampleOptions, writeSampleFiles } from './write-sample-files';
