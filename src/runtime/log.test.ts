import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { addLogFields, contextLogFields, withLogFields } from "./log.ts";

suite("the fields around a line", () => {
  test("log fields of a request survive awaits, nest, and never mix with other requests", async () => {
    const request = async (requestId: string, vendor: string) => {
      const fields = { requestId };
      const seen = await withLogFields(fields, async () => {
        await null;
        addLogFields({ reference: `of ${requestId}` });
        const inside = await withLogFields({ vendor }, async () => {
          await null;
          return contextLogFields();
        });
        return [inside, contextLogFields()];
      });
      return [...seen, fields];
    };
    const of = (requestId: string) => ({ requestId, reference: `of ${requestId}` });
    assert.deepEqual(await Promise.all([request("a", "dojah"), request("b", "peer")]), [
      [{ ...of("a"), vendor: "dojah" }, of("a"), of("a")],
      [{ ...of("b"), vendor: "peer" }, of("b"), of("b")],
    ]);
    assert.deepEqual(contextLogFields(), {});
  });

  test("log fields added outside a context are lost, and changes to returned fields stay out of the context", () => {
    addLogFields({ lost: true });
    withLogFields({ mode: "live" }, () => {
      contextLogFields().mode = "changed";
      assert.deepEqual(contextLogFields(), { mode: "live" });
    });
    assert.deepEqual(contextLogFields(), {});
  });
});
