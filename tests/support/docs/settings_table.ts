import { SERVE_FLAGS, type ServeArgs } from "#cli/dc/serve/serve_flags.ts";
import { deriveFileKey, deriveVariableName, readServeSettings, SETTING_NAMES } from "#cli/dc/serve/settings.ts";

const NOTHING = Object.fromEntries(
  Object.entries(SERVE_FLAGS).map(([name, flag]) => [name, flag.type === "boolean" ? false : undefined]),
) as unknown as ServeArgs;

/** Flags of `planner dc serve` with variable, key of the settings file and default. */
export async function settingsTable(): Promise<string> {
  const settings = await readServeSettings(NOTHING, { cwd: "/", warn: () => {} }, {});
  const rows = SETTING_NAMES.map((name) => {
    const value = settings.find((setting) => setting.name === name)?.value;
    const shown = value === undefined ? "none" : `\`${value}\``;
    return `| \`--${name}\` | \`${deriveVariableName(name)}\` | \`${deriveFileKey(name)}\` | ${shown} |\n`;
  });
  return `| Flag | Variable | Key in the file | Default |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}
