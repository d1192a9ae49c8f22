import { judgeStories } from './judgeStories';

describe('Whatever is killed, retried or started twice, a key is paid for once, and the guard is kept', () => {
	judgeStories('keys');
});
