/**
 * Coolant distribution units cool liquid. Before the two media were balanced separately, every unit without a medium
 * was stored with AIR.
 */
export function liquid(): readonly string[] {
  return [
    `UPDATE crac SET body = REPLACE(body, '"medium":"AIR"', '"medium":"LIQUID"') WHERE body LIKE '%"kind":"CDU"%'`,
  ];
}
