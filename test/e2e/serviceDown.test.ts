import { FailingServices } from '../support/e2e/FailingServices';
import { RealN8n, WITHOUT_EDITOR } from '../support/e2e/RealN8n';

// The same with durable cursors, and after n8n was killed, stands in restart.test.ts.

const n8n = RealN8n.create('service-down', WITHOUT_EDITOR);
const services = new FailingServices();
beforeAll(async () => {
	await n8n.start();
	await services.publish(n8n);
	await n8n.stop();
	services.stop();
	await n8n.start();
});
afterAll(async () => {
	await n8n.stop();
	services.close();
});

test('services that are down when n8n starts miss no video', async () => {
	await services.returnAfter(Date.now());
	expect(await services.waitForVideos(n8n)).toEqual([['new'], ['new'], ['new'], ['new']]);
});
