/** Whether a path below a project folder exists; false for any path that leads out of it. */
export type PathExists = (project: string, path: string) => boolean;
