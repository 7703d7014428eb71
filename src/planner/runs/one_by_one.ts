/** Runs the tasks that it is given in their order, each when the one before has come to its end, well or not. */
export function oneByOne(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => {});
    return result;
  };
}
