import { judgeStories } from './judgeStories';

describe('Whatever happens to a clear, an item that is gone is no failure', () => {
	judgeStories('clears');
});
