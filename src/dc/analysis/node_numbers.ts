/**
 * A number for each of some nodes of a graph. Memory comes zeroed and is touched where something is noted, so that one
 * for a whole site costs next to nothing for a failure that reaches little of it.
 */
export class NodeNumbers {
  // One more than what was noted; 0 for nothing.
  private readonly noted: Int32Array;

  constructor(nodes: number) {
    this.noted = new Int32Array(nodes);
  }

  /** What was noted for a node; -1 for nothing, and for what is no node. */
  at(index: number): number {
    return (this.noted[index] ?? 0) - 1;
  }

  /** @param value at least 0 */
  set(index: number, value: number): void {
    this.noted[index] = value + 1;
  }
}
