import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { Engine, FreshSettings } from "../../../test/support/engines.ts";
import { openStore, type Store, type StoreSettings } from "../../storage/store.ts";
import { audited, contentOf, fill, madeAt } from "./backup.fixture.ts";
import { backup } from "./backup.ts";

const sign = (text: string) => createHmac("sha256", "a key").update(text).digest("base64url");
export const options = { madeBy: "0.0.0-test", now: madeAt, sign };

/** A store in the text of a program, with an audit trail that nobody reads. */
export const nobody = "{ db: store.db, actor: '', audit: async () => {} }";

/** A process that stops at its first report of progress, and is killed there. */
export async function killedHalfWay(settings: StoreSettings, work: string): Promise<void> {
  const module = (name: string) => JSON.stringify(import.meta.resolve(name));
  const program = `
    import { writeSync } from "node:fs";
    import { backup } from ${module("./backup.ts")};
    import { restore } from ${module("./restore.ts")};
    import { openStore } from ${module("../../storage/store.ts")};
    const store = await openStore(${JSON.stringify(settings)});
    const progress = (rows) => {
      writeSync(1, String(rows));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    };
    ${work}`;
  const child: ChildProcess = spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  await Promise.race([
    once(child.stdout!, "data"),
    exited.then(([code]) => assert.fail(`It ended by itself with ${code}`)),
  ]);
  child.kill("SIGKILL");
  assert.deepEqual(await exited, [null, "SIGKILL"]);
}

/** A filled store and its backup at `path`, for the tests of one suite. Registers the suite's hooks. */
export class SuiteBackup {
  source!: Store;
  /** The settings of `source`. */
  settings!: FreshSettings;
  /** A store that no test leaves anything in, and its settings. */
  empty!: Store;
  emptied!: FreshSettings;
  folder!: string;
  path!: string;
  /** The expected content after a restore of the backup at `path`. */
  content!: Record<string, string>;

  constructor(engine: Engine) {
    const disposals: (() => Promise<void>)[] = [];
    before(async () => {
      const [full, bare] = [await engine.ready(), await engine.ready()];
      disposals.push(full.dispose, bare.dispose);
      [this.settings, this.emptied] = [full.settings, bare.settings];
      this.folder = mkdtempSync(join(tmpdir(), "duba-backup-"));
      this.path = join(this.folder, "backup");
      this.source = await openStore({ ...this.settings, serving: true, starting: true });
      this.empty = await openStore({ ...this.emptied, serving: false, untimed: true });
      await fill(this.source.db);
      this.content = await contentOf(this.source.db, ["sealed_record"]);
      await backup(audited(this.source.db), this.path, options);
    });
    after(async () => {
      await this.source.close();
      await this.empty.close();
      for (const dispose of disposals) await dispose();
      rmSync(this.folder, { recursive: true });
    });
  }
}

/** An empty store on `engine` for one test. */
export async function openedStore(t: TestContext, engine: Engine): Promise<Store> {
  const { settings, dispose } = await engine.ready();
  const store = await openStore({ ...settings, serving: false, untimed: true });
  t.after(async () => {
    await store.close();
    await dispose();
  });
  return store;
}
