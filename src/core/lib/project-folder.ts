/** The folder of a project for what commands store. Tools for files never see it: it has the content of other chains. */
export const projectFolderName = '.longhand';
