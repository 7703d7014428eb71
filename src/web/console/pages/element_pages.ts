/** Pages of elements of the inventory, loaded together when the first of them is opened. */
export { Device } from "./device.tsx";
export { List } from "./list.tsx";
export { ObjectPage } from "./object.tsx";
export { Rack } from "./rack.tsx";
export { Sheet } from "./sheet.tsx";
