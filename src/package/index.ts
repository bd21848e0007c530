/** The files of this package: modules that are loaded by their path, prices, the version. Packages that it needs. */

export { isBuilt, readPackageVersion, resolveOwnModule, resolvePackageFile } from './package-files.js';
export { findMissingPackages, requirePackages } from './require-packages.js';
