import { createServer, type AddressInfo, type Server } from 'node:net';
import { choosePort } from '../../../scripts/start/choosePort';

const servers: Server[] = [];

async function takePort(): Promise<number> {
	const server = createServer();
	servers.push(server);
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	return (server.address() as AddressInfo).port;
}

async function release(): Promise<void> {
	for (const server of servers.splice(0)) {
		await new Promise((resolve) => server.close(resolve));
	}
}

afterEach(release);

const wish = { name: 'n8n', option: '--port', asked: undefined };

describe('choosing a port', () => {
	it('takes the usual one when it is free, and says nothing', async () => {
		const usual = await takePort();
		await release();
		const say = jest.fn();
		expect(await choosePort({ ...wish, usual }, say)).toBe(usual);
		expect(say).not.toHaveBeenCalled();
	});

	it('takes another one when the usual one is taken, and says both', async () => {
		const usual = await takePort();
		const say = jest.fn();
		const port = await choosePort({ ...wish, usual }, say);
		expect(port).not.toBe(usual);
		expect(say).toHaveBeenCalledWith(`  port ${usual} is taken, so n8n uses port ${port}`);
	});

	it('takes another one when the usual one is spoken for', async () => {
		const usual = await takePort();
		await release();
		expect(await choosePort({ ...wish, usual, taken: [usual] }, jest.fn())).not.toBe(usual);
	});

	it('fails with the number when the one that was asked for is taken', async () => {
		const asked = await takePort();
		await expect(choosePort({ ...wish, asked, usual: 1 }, jest.fn())).rejects.toThrow(
			`Port ${asked}, asked for with --port, is taken`,
		);
	});

	it('fails when the one that was asked for was given to another part', async () => {
		const asked = await takePort();
		await release();
		await expect(choosePort({ ...wish, asked, usual: 1, taken: [asked] })).rejects.toThrow(
			`Port ${asked}`,
		);
	});
});
