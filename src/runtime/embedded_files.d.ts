// Files that Bun brings in by `type: "file"`: the value is a path.

declare module "*.ttf" {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: the engine decides how a file is brought in
  export default path;
}

declare module "*.wasm" {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: the engine decides how a file is brought in
  export default path;
}
