import { feature } from "../../commands/feature.ts";

export const keyRotation = feature({
  name: "key-rotation",
  about: "New keys in the key ring, by hand or by themselves, and old ones taken out when nothing needs them.",
  commands: [{ name: "keyring", load: async () => (await import("./commands.ts")).rotationCommands }],
  pages: [
    {
      path: "/keyring",
      before: "/you",
      title: "Key ring",
      group: "Settings",
      icon: "keyring",
      families: ["keyring"],
      opens: "keyring.list",
      primary: "keyring.show",
    },
  ],
  auditEvents: async () => Object.values((await import("./keyring-trail.ts")).keyringTrail),
  open: async ({ config, store: { db, now }, audit, log }) => {
    const { keyringRotate: every } = config;
    if (every === null) return {};
    const [{ keyringPath }, { selfRotation }] = await Promise.all([
      import("../../keyring/file.ts"),
      import("./self-rotation.ts"),
    ]);
    const run = selfRotation({ every, actor: "system", path: keyringPath(config), db, audit, now }, log);
    return { jobs: [{ name: "rotate the key ring", every: 60_000, run }] };
  },
});
