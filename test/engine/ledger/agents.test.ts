import { judgeStories } from './judgeStories';

describe('However an agent calls the tool, each call is paid for once', () => {
	judgeStories('agents');
});
