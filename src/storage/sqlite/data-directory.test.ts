import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, type TestContext, test } from "node:test";
import { openStore, StoreError } from "../store.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "duba-directory-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const opening = (dataDirectory: string) => openStore({ dataDirectory, serving: false });

suite("the data directory", () => {
  for (const mode of [0o750, 0o705, 0o777, 0o1777])
    test(`a data directory of mode ${mode.toString(8)} is refused, with the command that repairs it`, async (t) => {
      const path = folder(t);
      chmodSync(path, mode);
      const open = (mode & 0o777).toString(8);
      await assert.rejects(opening(path), (error) => {
        assert.ok(error instanceof StoreError);
        const sentence = `The data directory ${path} is open to other users (mode ${open}): run chmod 700 ${path}.`;
        assert.equal(error.message, sentence);
        return true;
      });
      chmodSync(path, 0o700);
      await (await opening(path)).close();
    });

  const asRoot = process.geteuid?.() === 0 ? {} : { skip: "only root can give a directory to another user" };
  test("a data directory of another user is refused, even by root", asRoot, async (t) => {
    const path = folder(t);
    chownSync(path, 12345, 12345);
    await assert.rejects(opening(path), /belongs to user 12345, and this runs as user 0: run it as the owner, or /);
  });

  test("the data directory is created for its owner only, whatever the umask", async (t) => {
    const path = join(folder(t), "deeper", "data");
    const umask = process.umask(0);
    t.after(() => process.umask(umask));
    await (await opening(path)).close();
    for (const made of [path, join(path, ".."), join(path, "duba.db")])
      assert.equal(statSync(made).mode & 0o077, 0, made);
  });
});
