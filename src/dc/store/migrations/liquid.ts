/**
 * Coolant distribution units cool liquid. Before the two media were balanced apart, every unit that named none was stored
 * with AIR.
 */
export function liquid(): readonly string[] {
  return [
    `UPDATE crac SET body = REPLACE(body, '"medium":"AIR"', '"medium":"LIQUID"') WHERE body LIKE '%"kind":"CDU"%'`,
  ];
}
