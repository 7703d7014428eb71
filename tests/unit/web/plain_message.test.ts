import { expect, test } from "bun:test";
import { simplifyMessage } from "#web/console/labels.ts";

test.each([
  ['Field "position_u" needs a rack: 5', "Unit needs a rack: 5"],
  ['Field "items[0].ports[3].speed_mbps" is 0', "Ports 4, speed is 0"],
  [
    'Cannot read scope_ref "port:SRV/eth0": expected rack:<code> or floor:<site_id>/<floor_number>',
    'Cannot read scope "SRV/eth0": expected a rack or a floor',
  ],
  ['Port "PDU/o1" of kind POWER_OUT gives no power', 'Port "PDU/o1" of kind power out gives no power'],
  ["expected DEVICE_STATUS_ACTIVE or DEVICE_STATUS_FAILED", "expected active or failed"],
])("plainMessage says %p in words", (message, words) => {
  expect(simplifyMessage(message)).toBe(words);
});

test.each([
  'Cannot find rack "ACTIVE"',
  'There is a device "my_server_1" already',
  "UPS-A2 loses 4 of its 6 inlets",
  "LEAF-D03-1 is a UPS",
  "10.0.0.1 and v1.2 are no codes",
])("plainMessage leaves %p, which has nothing of the wire", (message) => {
  expect(simplifyMessage(message)).toBe(message);
});
