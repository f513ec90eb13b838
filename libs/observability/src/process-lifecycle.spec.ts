import { stoppableStart } from './process-lifecycle';

describe('a start that a signal can stop', () => {
  it('leaves a signal that arrives in its last step to the listeners of the caller', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    await stoppableStart(() => {
      process.kill(process.pid, 'SIGTERM');
      return Promise.resolve();
    });
    await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
    expect(exit).not.toHaveBeenCalled();
    exit.mockRestore();
  });
});
