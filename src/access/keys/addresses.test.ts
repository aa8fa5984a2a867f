import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { AccessFault } from "../access-fault.ts";
import { checkAddresses } from "./keys.ts";

suite("allowed addresses", () => {
  test("are refused by name when they are neither", () => {
    for (const entry of "|10.0.0.0/33|::/129|10.0.0|10.0.0.0/|example.com|fe80::1%eth0| 10.0.0.1".split("|")) {
      assert.throws(
        () => checkAddresses(["10.0.0.1", entry]),
        (error) => error instanceof AccessFault && error.message.startsWith(`"${entry}" is neither`),
      );
    }
  });
});
