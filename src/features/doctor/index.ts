import { feature } from "../../commands/feature.ts";

export const doctor = feature({
  name: "doctor",
  about: "Check this machine before live keys use it.",
  commands: [
    {
      name: "doctor",
      group: "Serve",
      before: "accounts",
      about: "Check this machine before live keys use it.",
      load: async () => [(await import("./doctor-command.ts")).doctorCommand],
    },
  ],
});
