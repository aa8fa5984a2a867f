import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure } from "../../test/support/failure.ts";
import { catalogueOperations } from "../catalogue/operations/index.ts";
import { bind } from "../declare/operation.ts";
import { serving } from "./server.fixture.ts";

test("an internal error is answered, and the next request works", async (t) => {
  const tracer = {
    request() {
      throw new Error("broken");
    },
  };
  const app = await serving(
    (server) => {
      server.get("/page", () => {
        throw new Error("broken");
      });
      server.get("/well", () => ({ status: 200, headers: {}, body: "well" }));
    },
    bind(catalogueOperations, {} as never),
    { tracer: tracer as never },
  );
  t.after(() => app.close());
  for (const path of ["/page", catalogueOperations[0]!.path]) assertFailure(await app.ask(path), 500, "internal_error");
  assert.equal((await app.ask("/well")).text, "well");
});
