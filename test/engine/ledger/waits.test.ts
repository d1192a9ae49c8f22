import { judgeStories } from './judgeStories';

describe('Whatever happens to a video that is waited for, each item is given its own', () => {
	judgeStories('waits');
});
