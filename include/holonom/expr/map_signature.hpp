// How a kernel (a Program for one row) is applied to every row of an index table. Shared by the
// interpreter and by native code, so that both mean the same sums in the same order.
//
// A table has columns index[c][row]; entries count items (particles, links), `stride` is the number of
// scalars an item has in its array. A table whose entries are offsets already has stride 1.
//
// For row = begin, ..., end − 1, in this order:
//   1. the components k of each input block b are read
//        gathered   x_k = in[b][index[column][row] · stride + k]
//        per_row    x_k = in[b][row · stride + k]
//        broadcast  x_k = in[b][k]                              the same for all rows
//   2. the kernel computes y from x
//   3. output blocks are written in their order, components in theirs
//        stored     out[b][row · stride + k] = y_k
//        scattered  out[b][index[column][row] · stride + k] += y_k
//        summed     out[b][k] += y_k                            each component its own running sum
// Additions are done one after the other, starting from what is in `out`: the order is part of the
// meaning, and splitting [begin, end) into consecutive ranges changes no bit. Two scattered blocks, of
// one row or of two, may meet in the same place: earlier rows come first, then earlier blocks.
//
// Outputs of one call may overlap neither its inputs nor its table, because several rows may be read
// before the first is written, and stored rows may be written twice, with the same numbers. Scattered
// blocks may share an array with each other (several in[b] or out[b] may be the same pointer, or the same
// pointer plus an offset: r[i+1] is r[i] from one item on); stored and summed blocks may share theirs with
// no other output.
#pragma once

#include <cstdint>
#include <vector>

namespace holonom {

struct MapInput {
  enum class Kind : std::uint8_t { gathered, per_row, broadcast };
  Kind kind = Kind::broadcast;
  std::uint32_t column = 0;  // gathered: which column of the table
  std::uint32_t stride = 1;  // gathered: scalars an item; per_row: scalars a row

  static MapInput gathered(std::uint32_t column, std::uint32_t stride = 1) { return {Kind::gathered, column, stride}; }
  static MapInput per_row(std::uint32_t stride) { return {Kind::per_row, 0, stride}; }
  static MapInput broadcast() { return {}; }
  bool operator==(const MapInput&) const = default;
};

struct MapOutput {
  enum class Kind : std::uint8_t { stored, scattered, summed };
  Kind kind = Kind::summed;
  std::uint32_t column = 0;  // scattered: which column of the table
  std::uint32_t stride = 1;  // scattered: scalars an item; stored: scalars a row

  static MapOutput stored(std::uint32_t stride) { return {Kind::stored, 0, stride}; }
  static MapOutput scattered(std::uint32_t column, std::uint32_t stride = 1) {
    return {Kind::scattered, column, stride};
  }
  static MapOutput summed() { return {}; }
  bool operator==(const MapOutput&) const = default;
};

struct MapSignature {
  std::vector<MapInput> inputs;    // one for each input block of the kernel
  std::vector<MapOutput> outputs;  // one for each output block
  bool operator==(const MapSignature&) const = default;
};

}  // namespace holonom
