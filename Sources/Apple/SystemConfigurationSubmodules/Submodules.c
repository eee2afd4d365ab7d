/* SPDX-License-Identifier: Apache-2.0 */

/* A C target needs a source. This one only has a module map. */
