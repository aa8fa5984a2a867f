import { keepsPromises, repeatsItself } from "./promises-over-days.ts";

keepsPromises("postgres", 680);
repeatsItself("postgres");
