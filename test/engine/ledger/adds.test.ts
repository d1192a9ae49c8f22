import { judgeStories } from './judgeStories';

describe('Whatever happens to an add, it is paid for once, and what was paid for is known', () => {
	judgeStories('adds');
});
