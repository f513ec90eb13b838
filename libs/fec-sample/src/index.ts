export { CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER } from './sample-committees';
export { type SampleItcont, sampleItcont } from './sample-itcont';
export { type SampleOptions, writeSampleFiles } from './write-sample-files';
