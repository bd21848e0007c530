/** The files of this package: modules that are loaded by their path, prices, the version. */

export { isBuilt, readPackageVersion, resolveOwnModule, resolvePackageFile } from './package-files.js';
