// SPDX-License-Identifier: Apache-2.0
/**
 * The host's side of workers: processes that hold tools of any language (spec/wire.md). Language-specific modules say
 * what is started; everything else is here.
 */
package dev.isonomy.bridge.workers;
