import { BODY_FAULTS } from './body';
import { CONNECTION_FAULTS } from './connection';
import { FIELD_FAULTS } from './fields';
import { OTHER_REPLIES } from './otherReply';

/** Every kind of fault by its name. */
export const FAULT_KINDS = {
	...CONNECTION_FAULTS,
	...OTHER_REPLIES,
	...BODY_FAULTS,
	...FIELD_FAULTS,
};
