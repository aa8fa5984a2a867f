import assert from "node:assert/strict";
import { test } from "node:test";
import { coreRecords } from "../../commands/records/record-kinds.ts";
import { siteMap } from "./site-map.ts";

test("a feature's page comes last if the page that it should precede is missing in the build", () => {
  const page = { path: "/kites", title: "Kites", group: "Settings", icon: "more", families: [] } as const;
  const { places } = siteMap([], [{ ...page, before: "/balloons" }], coreRecords);
  assert.equal(places.at(-1)?.path, "/kites");
});
