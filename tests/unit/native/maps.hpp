// Mapped kernels three times: by native code, by the interpreter of maps, and word for word by their definition.
#pragma once

#include "holonom/expr/map_interpreter.hpp"
#include "programs.hpp"

namespace holonom::test {

struct Table {
  vector<vector<std::int32_t>> column;
};

// What map_signature.hpp says, word for word.
inline void reference_map(const Program& kernel, const MapSignature& signature, long begin, long end, const Blocks& in,
                          const Table& table, vector<double*> out) {
  OneBlock evaluate(kernel);
  for (long row = begin; row < end; ++row) {
    Blocks x;
    for (size_t b = 0; b < in.size(); ++b) {
      const MapInput& input = signature.inputs[b];
      const long start = input.kind == MapInput::Kind::broadcast ? 0
                         : input.kind == MapInput::Kind::per_row
                             ? row * input.stride
                             : static_cast<long>(table.column[input.column][static_cast<size_t>(row)]) * input.stride;
      x.emplace_back();
      for (long k = 0; k < static_cast<long>(kernel.input_sizes[b]); ++k)
        x.back().push_back(in[b][static_cast<size_t>(start + k)]);
    }
    const Blocks y = evaluate(x);
    for (size_t b = 0; b < y.size(); ++b) {
      const MapOutput& output = signature.outputs[b];
      for (size_t k = 0; k < y[b].size(); ++k) switch (output.kind) {
          case MapOutput::Kind::stored: out[b][row * output.stride + static_cast<long>(k)] = y[b][k]; break;
          case MapOutput::Kind::scattered:
            out[b][static_cast<long>(table.column[output.column][static_cast<size_t>(row)]) * output.stride +
                   static_cast<long>(k)] += y[b][k];
            break;
          case MapOutput::Kind::summed: out[b][k] += y[b][k]; break;
        }
    }
  }
}

// Native code, the interpreter of maps and the reference, from the same start.
// array_of: the array of `start` that each output block goes to.
inline void compare_maps(const Program& kernel, const MapSignature& signature, const NativeMap& native, long begin,
                         long end, const Blocks& in, const Table& table, const Blocks& start,
                         const vector<size_t>& array_of) {
  const auto at = [&](Blocks& arrays) {
    vector<double*> out;
    for (const size_t k : array_of) out.push_back(arrays[k].data());
    return out;
  };
  Blocks expected = start, by_native = start, interpreted = start;
  reference_map(kernel, signature, begin, end, in, table, at(expected));
  const auto index = pointers<const std::int32_t>(table.column);
  native.function()(begin, end, pointers<const double>(in).data(), index.data(), at(by_native).data());
  EXPECT_TRUE(same_bits(by_native, expected)) << "rows " << begin << " ... " << end;
  MapInterpreter<double> interpreter(std::make_shared<Program>(kernel), signature);
  interpreter(begin, end, pointers<const double>(in).data(), index.data(), at(interpreted).data());
  EXPECT_TRUE(same_bits(interpreted, expected)) << "interpreter, rows " << begin << " ... " << end;
}

inline vector<double> random_numbers(size_t n) {
  Random random;
  vector<double> x(n);
  for (double& z : x) z = random();
  return x;
}

}  // namespace holonom::test
